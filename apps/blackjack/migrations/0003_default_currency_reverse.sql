UPDATE partner SET default_currency_id = NULL;
