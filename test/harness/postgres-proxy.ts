/**
 * A proxy in front of a PostgreSQL server. It breaks connections before a commit arrives, while the server executes it,
 * or before the answer arrives.
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { statementReader } from './postgres-statements.ts'

/**
 * Way in which a statement fails:
 * - `before`: the statement does not reach the server.
 * - `during`: the statement reaches the server, and both sides are cut at once.
 * - `after`: the server has answered, and the answer is dropped with the connection.
 * - `silent`: the server has answered, and the answer is dropped; the connection stays open.
 */
export type Fault = 'before' | 'during' | 'after' | 'silent'

export interface PostgresProxy {
  port: number
  /**
   * Makes the next message of a client that contains this text fail in this way. The text is the name or the SQL of a
   * statement.
   */
  next(text: string, fault: Fault): void
  statements(): Readonly<Record<string, number>>
  faults(): number
  cut(): void
  refuse(isRefused: boolean): void
  /** Accepts this number of new connections, but passes nothing on, as if their packets were lost. */
  hang(count: number): void
  /** Number of new connections that got no answer in this way since the last call of `hang`. */
  hung(): number
  /**
   * While `isHeld` is true, nothing is passed on and no connection ends, as if the service that uses this proxy were
   * suspended.
   */
  hold(isHeld: boolean): void
  /** Delays the first bytes of each new connection by this number of ms. */
  delay(ms: number): void
  /** Ends all faults that are set, so that a test which fails does not disturb the next one. */
  heal(): void
  stop(): Promise<void>
}

export async function startProxy(socket: string): Promise<PostgresProxy> {
  const open = new Set<Socket>()
  let planned: { text: string; fault: Fault } | undefined
  let faults = 0
  const statements: Record<string, number> = {}
  let isRefused = false
  let hanging = 0
  let hung = 0
  let delayMs = 0
  let isHeld = false

  const server = createServer((near): unknown => {
    if (isRefused) return near.destroy()
    if (hanging > 0) {
      hanging--
      hung++
      open.add(near)
      return near.on('error', () => {}).on('close', () => open.delete(near))
    }
    const far = connect(socket)
    let dropped: 'after' | 'silent' | undefined
    const end = () => {
      near.destroy()
      far.destroy()
    }
    for (const each of [near, far]) {
      open.add(each)
      each.on('error', () => {})
      each.on('close', () => {
        open.delete(each)
        end()
      })
    }
    const readStatements = statementReader((name) => {
      statements[name] = (statements[name] ?? 0) + 1
    })
    if (isHeld) near.pause()
    if (delayMs > 0) {
      near.pause()
      setTimeout(() => near.resume(), delayMs)
    }
    near.on('data', (bytes) => {
      readStatements(bytes)
      if (!planned || !bytes.includes(planned.text)) return void far.write(bytes)
      const { fault } = planned
      planned = undefined
      faults++
      if (fault === 'before') return end()
      // The connection ends after the bytes were passed to the operating system, so the server receives them.
      if (fault === 'during') return void far.write(bytes, end)
      dropped = fault
      far.write(bytes)
    })
    far.on('data', (bytes) => {
      if (dropped === undefined) near.write(bytes)
      else if (dropped === 'after') end()
    })
    return undefined
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    for (const each of open) each.destroy()
  }
  const hold = (value: boolean) => {
    isHeld = value
    for (const each of open) {
      if (isHeld) each.pause()
      else each.resume()
    }
  }
  return {
    port: (server.address() as AddressInfo).port,
    next(text, fault) {
      planned = { text, fault }
    },
    faults: () => faults,
    statements: () => ({ ...statements }),
    cut,
    refuse(value) {
      isRefused = value
    },
    hang(count) {
      hanging = count
      hung = 0
    },
    hung: () => hung,
    hold,
    delay(ms) {
      delayMs = ms
    },
    heal() {
      planned = undefined
      isRefused = false
      hanging = 0
      delayMs = 0
      hold(false)
    },
    async stop() {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}
