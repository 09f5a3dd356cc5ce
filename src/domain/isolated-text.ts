/** Names of somebody's choice in a line of text: what turns their direction ends where they stand. */

/** Begins and ends of isolations. An end in a text ends the isolation around it, that of an element, too, and what it turns is what follows. */
const ISOLATIONS = /[\u2066-\u2069]/g

/** What somebody chose, as it may stand in an isolation. */
export const contained = (text: string) => text.replace(ISOLATIONS, '')

/** The same, isolated, where there is no room for an element: the choices of a list. */
export const isolated = (text: string) => `\u2068${contained(text)}\u2069`

/** A name with the number it belongs to. The name alone is isolated, because it could also turn the number behind it. */
export const nameAndNumber = (name: string | null, phone: string) => (name ? `${isolated(name)} (${phone})` : phone)
