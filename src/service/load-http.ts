import type { Config } from '../config.ts'
import { spareMemoryWhenQuiet } from '../engine/quiet-memory.ts'
import { spareMemory } from '../engine/spare-memory.ts'

export type LoadedHttp = Awaited<ReturnType<typeof loadHttp>>

/**
 * Loads the HTTP application. This takes a third of the start time, so it runs while the shard threads load Baileys on
 * another core. Call it once: each call also begins to watch the memory of this thread.
 */
export async function loadHttp({ sparesMemory }: Pick<Config, 'sparesMemory'>) {
  const [{ createApp }, { createLive }] = await Promise.all([import('../http/app.ts'), import('../http/dashboard/live.ts')])
  if (sparesMemory) await spareMemory()
  spareMemoryWhenQuiet()
  return { createApp, createLive }
}
