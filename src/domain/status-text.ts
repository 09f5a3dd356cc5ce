/** The default appearance of a text status. */
export const STATUS_BACKGROUND = '#25D366'
/** The network's number of the font. */
export const STATUS_FONT = 0
