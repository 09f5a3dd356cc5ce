/** Default background and font of a text status. */
export const STATUS_BACKGROUND = '#25D366'
/** Number of the font on the network. */
export const STATUS_FONT = 0
