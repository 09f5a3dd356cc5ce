export const CONTENT = 'content'

/** For a control that goes away when it is pressed. The focus would be lost otherwise. */
export const focusContent = () => document.getElementById(CONTENT)?.focus({ preventScroll: true })
