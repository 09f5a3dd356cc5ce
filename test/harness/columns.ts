/** Returns the value of one field of each row. */
export const column = <T, K extends keyof T>(rows: readonly T[], name: K): T[K][] => rows.map((row) => row[name])

/** Returns the values of these fields of each row, in the order of the names. */
export const columns = <T, K extends keyof T>(rows: readonly T[], ...names: K[]): T[K][][] =>
  rows.map((row) => names.map((name) => row[name]))
