/** Reads a small system file, which is parsed again when it has changed. */
import { readFile, stat } from 'node:fs/promises'

export function cachedFile<T>(path: string, parse: (text: string) => T): () => Promise<T> {
  let version: string | undefined
  let value = parse('')
  return async () => {
    const now = await stat(path).then(
      ({ mtimeMs, size, ino }) => `${mtimeMs} ${size} ${ino}`,
      () => undefined,
    )
    if (now !== version) {
      value = parse(now === undefined ? '' : await readFile(path, 'utf8').catch(() => ''))
      version = now
    }
    return value
  }
}
