/** Isolation of names that somebody else chose in a line of text: direction controls in the name do not affect the text around it. */

/**
 * Begins and ends of isolations. An end inside a text would end the isolation around it, also that of an element, and the direction of the following
 * text would change.
 */
const ISOLATIONS = /[\u2066-\u2069]/g

/** A chosen text without isolation characters, so that it is safe inside an isolation. */
export const contained = (text: string) => text.replace(ISOLATIONS, '')

/** The same text inside its own isolation, for places without an element, such as the options of a list. */
export const isolated = (text: string) => `\u2068${contained(text)}\u2069`

/** A name with its number. Only the name is isolated, because it could otherwise reverse the number that follows. */
export const nameAndNumber = (name: string | null, phone: string) => (name ? `${isolated(name)} (${phone})` : phone)
