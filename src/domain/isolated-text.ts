/**
 * Isolates names in a line of text. Other people choose names, and direction controls in a name must not affect the
 * text around it.
 */

/**
 * Characters that begin or end an isolation. They are removed from names, because an end character would change the
 * direction of the text after the name, even inside an HTML element.
 */
const ISOLATIONS = /[\u2066-\u2069]/g

export const contained = (text: string) => text.replace(ISOLATIONS, '')

/** Isolates a text, for places without HTML elements, such as the options of a list. */
export const isolated = (text: string) => `\u2068${contained(text)}\u2069`

/**
 * Returns the name and the number of an account. The name is isolated, because it could otherwise reverse the number
 * that follows.
 */
export const nameAndNumber = (name: string | null, phone: string) => (name ? `${isolated(name)} (${phone})` : phone)
