/** Told at every step that a kill may separate from the next; does nothing but in `test/faults`. */
export type KillAt = (step: string) => void
