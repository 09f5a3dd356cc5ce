import { randomBytes } from 'node:crypto'
import { createWriteStream, statSync, type WriteStream } from 'node:fs'
import { join } from 'node:path'
import type { Trace } from './trace.ts'

/** Maximum size of the file in bytes: about two hours of a busy network. After that, nothing more is written. */
const MAX_FILE = 512 * 1024 * 1024
/** If more bytes wait for a slow disk, further lines are dropped. The first of them is reported to `note`. */
const MAX_WAITING = 32 * 1024 * 1024

export interface TraceFile {
  close(): Promise<void>
}

/**
 * Writes every stanza to a file, and the app state to `.appstate` next to it, in the format of `wire-check`. In a
 * folder, this network gets its own file. Errors of writing are passed to `note`.
 */
export async function openTraceFile(trace: Trace, path: string, note: (failure: string) => void): Promise<TraceFile> {
  const file = isFolder(path) ? join(path, `${process.pid}-${randomBytes(4).toString('hex')}.jsonl`) : path
  const stanzas = await openLines(file, note)
  const actions = await openLines(`${file}.appstate`, note)
  const stop = trace.watch({
    match: {},
    take: (line) => stanzas.write(line),
    action: (action) => actions.write(action),
  })
  return {
    async close() {
      stop()
      await Promise.all([stanzas.close(), actions.close()])
    },
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

async function openLines(path: string, note: (failure: string) => void) {
  const stream = createWriteStream(path, { flags: 'a', mode: 0o600 })
  await opened(stream, path)
  let written = 0
  let left = 0
  stream.on('error', (error) => note(`the trace ${path} cannot be written: ${error.message}`))
  return {
    write(line: unknown) {
      if (written > MAX_FILE || stream.writableLength > MAX_WAITING || stream.destroyed) {
        if (left === 0) note(`the trace ${path} is not complete: it is full, or the disk does not keep up`)
        left += 1
        return
      }
      const text = `${JSON.stringify(line)}\n`
      written += text.length
      stream.write(text)
    },
    close: () => new Promise<void>((resolve) => (stream.destroyed ? resolve() : stream.end(() => resolve()))),
  }
}

function opened(stream: WriteStream, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.once('open', () => resolve())
    stream.once('error', (cause) => reject(new Error(`the trace cannot be written to ${path}: ${cause.message}`, { cause })))
  })
}
