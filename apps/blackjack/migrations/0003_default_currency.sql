UPDATE partner SET default_currency_id = first.currency
  FROM (
      SELECT DISTINCT ON (config.partner_id) config.partner_id, config.currency
        FROM (
            SELECT partner_id, currency, ctime, id FROM baccarat_config
            UNION ALL
            SELECT partner_id, currency_id, ctime, id FROM blackjack_config
        ) AS config (partner_id, currency, ctime, id)
       ORDER BY config.partner_id, config.ctime, config.id
  ) AS first
 WHERE partner.id = first.partner_id AND partner.default_currency_id IS NULL;
