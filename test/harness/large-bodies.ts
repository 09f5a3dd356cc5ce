/**
 * Sends many large bodies at once, and measures the memory of the service while they arrive. The bodies are written
 * piece by piece, so the clients themselves need little memory.
 */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'

const PIECE = 1_048_576
/** A piece of base64 text. It is decoded to zero bytes, because the letter `A` stands for zero bits. */
const LETTERS = Buffer.alloc(PIECE, 'A')

export interface BodyOptions {
  /** The fields of the request other than the document, as JSON text without the outer braces. */
  fields: string
  /** Size of the whole body, in bytes. */
  size: number
  /** Path and query of the request, after the path of the instance. */
  path?: string
}

export interface Outcome {
  status: number | string
  body: string
}

/**
 * Posts a document in base64, in a body of `size` bytes. Like a blocking client, it sends the whole body before it
 * reads the answer.
 */
export function postDocument(baseUrl: string, { fields, size, path = '/send-document/bin' }: BodyOptions): Promise<Outcome> {
  const { hostname, port, pathname } = new URL(baseUrl + path)
  const begin = `{${fields},"document":"`
  const end = '"}'
  // The number of letters is a multiple of four, so that the base64 needs no padding.
  const letters = Math.floor((size - begin.length - end.length) / 4) * 4
  const head = [
    `POST ${pathname} HTTP/1.1`,
    `Host: ${hostname}`,
    'Content-Type: application/json',
    `Content-Length: ${begin.length + letters + end.length}`,
    'Connection: close',
    '',
    begin,
  ].join('\r\n')
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname)
    let text = ''
    let left = letters
    socket.pause()
    function write() {
      while (left > 0) {
        const part = Math.min(left, PIECE)
        left -= part
        if (!socket.write(LETTERS.subarray(0, part))) return void socket.once('drain', write)
      }
      socket.write(end)
      socket.resume()
    }
    socket.on('error', ({ code = 'error' }: NodeJS.ErrnoException) => resolve({ status: code, body: '' }))
    socket.on('data', (piece) => {
      text += String(piece)
    })
    socket.on('close', () => {
      const [answered = '', body = ''] = text.split('\r\n\r\n')
      resolve({ status: Number(answered.split(' ')[1]) || 'no answer', body })
    })
    socket.write(head)
    write()
  })
}

const statusField = (pid: number, field: string) =>
  Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024

/** Returns the current memory of a process, in MB. */
export const rssOf = (pid: number): number => statusField(pid, 'VmRSS')
/** Returns the most memory that a process has used since `resetPeak`, in MB. */
export const peakOf = (pid: number): number => statusField(pid, 'VmHWM')
export const resetPeak = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, '5')

export interface MemoryLimit {
  /**
   * Applies the limit to a process. The kernel does not count the memory that the process already has, so the limit is
   * lowered by that amount.
   */
  hold(pid: number): void
  /** Returns the most memory that the kernel has counted, in MB. */
  peak(): number
  remove(): void
}

/** Returns the folder of this process's memory cgroup, and the names of its files, for version 1 or 2 of cgroups. */
function ownCgroup(): { folder: string; limit: string; peak: string } | undefined {
  const lines = readFileSync('/proc/self/cgroup', 'utf8').split('\n')
  const one = lines.find((line) => line.includes(':memory:'))?.split(':')[2]
  const folder = `/sys/fs/cgroup/memory${one}`
  if (one !== undefined && existsSync(folder))
    return { folder, limit: 'memory.limit_in_bytes', peak: 'memory.max_usage_in_bytes' }
  const two = lines.find((line) => line.startsWith('0::'))?.slice(3)
  const unified = `/sys/fs/cgroup${two}`
  if (two !== undefined && existsSync(`${unified}/memory.max`))
    return { folder: unified, limit: 'memory.max', peak: 'memory.peak' }
  return undefined
}

/**
 * Creates a memory limit, which `hold` applies to a process. If this machine cannot do that, returns the reason as a
 * sentence.
 */
export function limitMemory(bytes: number): MemoryLimit | string {
  if (process.platform !== 'linux') return 'limits of memory are those of Linux'
  const own = ownCgroup()
  if (own === undefined) return 'this machine has no memory cgroup'
  const folder = `${own.folder}/svc-bodies-${process.pid}`
  try {
    mkdirSync(folder)
    writeFileSync(`${folder}/${own.limit}`, String(bytes))
  } catch (error) {
    return `a memory cgroup cannot be made here: ${(error as Error).message}`
  }
  return {
    hold(pid) {
      writeFileSync(`${folder}/${own.limit}`, String(Math.floor(bytes - rssOf(pid) * 1_048_576)))
      writeFileSync(`${folder}/cgroup.procs`, String(pid))
    },
    peak: () => Number(readFileSync(`${folder}/${own.peak}`, 'utf8')) / 1_048_576,
    remove: () => rmdirSync(folder),
  }
}
