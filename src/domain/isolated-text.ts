/** Isolates names in a line of text. Other people choose names, and direction controls in a name must not affect the text around it. */

/**
 * Characters that begin or end an isolation. An end character inside a text would end the isolation around the text, even the isolation by an HTML
 * element, and would change the direction of the text that follows.
 */
const ISOLATIONS = /[\u2066-\u2069]/g

/** Removes isolation characters from a text that somebody chose, so that the text is safe inside an isolation. */
export const contained = (text: string) => text.replace(ISOLATIONS, '')

/** Returns a text inside an isolation, for places without an HTML element, such as the options of a list. */
export const isolated = (text: string) => `\u2068${contained(text)}\u2069`

/** Returns a name with its number. Only the name is isolated, because it could otherwise reverse the number that follows. */
export const nameAndNumber = (name: string | null, phone: string) => (name ? `${isolated(name)} (${phone})` : phone)
