/**
 * New paths of files that the phone was asked to upload again. A new path is remembered, because existing links still
 * have the old path.
 */

import type { ReceivedFile, UploadableFile } from '../domain/file-download.ts'
import { boundedCache } from '../lib/bounded-cache.ts'

/** Maximum number of remembered paths. If there are more, the least recently used one is forgotten. */
const MAX_KNOWN = 1_000

/** Asks the phone to upload a file again. Resolves with the new path. Rejects with `Failure`. */
export type AskAgain = (instance: string, file: UploadableFile) => Promise<string>

export interface NewUploads {
  pathOf(instance: string, file: ReceivedFile): string
  instead(lost: string, instance: string, file: UploadableFile): Promise<string>
}

const nameOf = (instance: string, { key, path }: ReceivedFile) => JSON.stringify([instance, key.remoteJid, key.id, path])

export function createNewUploads(askAgain: AskAgain): NewUploads {
  const asked = new Map<string, Promise<string>>()
  const known = boundedCache<string, string>(MAX_KNOWN)

  async function ask(name: string, instance: string, file: UploadableFile): Promise<string> {
    try {
      const path = await askAgain(instance, file)
      known.set(name, path)
      return path
    } finally {
      asked.delete(name)
    }
  }

  return {
    pathOf: (instance, file) => known.get(nameOf(instance, file)) ?? file.path,
    async instead(lost, instance, file) {
      const name = nameOf(instance, file)
      const path = known.get(name)
      // Another reader has already received a new path, so the phone is not asked again.
      if (path !== undefined && path !== lost) return path
      const answer = asked.get(name) ?? ask(name, instance, file)
      asked.set(name, answer)
      return answer
    },
  }
}
