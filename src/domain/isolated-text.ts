/**
 * Isolates names in a line of text. Other people choose names, and their direction controls must not affect the text
 * around them.
 */

/**
 * Characters that begin or end an isolation. An end character inside a name would change the direction of the text
 * behind it, even inside an HTML element.
 */
const ISOLATIONS = /[\u2066-\u2069]/g

export const contained = (text: string) => text.replace(ISOLATIONS, '')

/** Isolates a text for places without HTML elements, such as the options of a list. */
export const isolated = (text: string) => `\u2068${contained(text)}\u2069`

/** Only the name is isolated, because it could otherwise reverse the number that follows. */
export const nameAndNumber = (name: string | null, phone: string) => (name ? `${isolated(name)} (${phone})` : phone)
