/** Counts the statements that a client of PostgreSQL runs, from the bytes that it sends. */

/** Type of the message (Bind) that precedes each execution of a statement. */
const BIND = 0x42
const LENGTH_BYTES = 4

/**
 * Returns a function that reads the bytes of one connection, in pieces of any size. `onStatement` gets the name of each
 * statement that is run; a statement without a name has an empty one.
 */
export function statementReader(onStatement: (name: string) => void): (bytes: Buffer) => void {
  let rest = Buffer.alloc(0)
  // The first message of a connection has no type byte; each later message has one.
  let typeBytes = 0
  return (bytes) => {
    rest = Buffer.concat([rest, bytes])
    while (rest.length >= typeBytes + LENGTH_BYTES) {
      const end = typeBytes + rest.readInt32BE(typeBytes)
      if (rest.length < end) return
      if (typeBytes > 0 && rest[0] === BIND) {
        const [, name = ''] = rest
          .subarray(typeBytes + LENGTH_BYTES, end)
          .toString('latin1')
          .split('\0', 2)
        onStatement(name)
      }
      rest = rest.subarray(end)
      typeBytes = 1
    }
  }
}
