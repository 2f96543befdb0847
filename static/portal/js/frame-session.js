// @ts-check
/** The data of a page in a partner's frame. The session's token is in memory alone. */

/**
 * @typedef {object} FrameData
 * @property {string[]} origins  of the pages that may be around this one
 * @property {boolean} isOver  whether the code of the launch was refused
 * @property {{ code: string, message: string }} [refusal]  of a launch that is possible in a moment
 * @property {string} [token]  of the session; only a table's page has one
 * @property {string} [language]
 * @property {string[]} [languages]
 * @property {string} [cashierUrl]
 * @property {string} [memory]  the memory of the previous page, which was in another language
 */

const element = document.getElementById("frame-data");

/** @type {FrameData} */
export const frameData = JSON.parse(element?.textContent ?? '{"origins":[],"isOver":false}');
export const isFramed = element !== null;
element?.remove();
