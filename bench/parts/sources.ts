/** Finds the source of a function in a profile. The compiled threads are bundles, whose source maps name the sources. */
import { existsSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { fileURLToPath } from 'node:url'

export interface CallFrame {
  functionName: string
  url: string
  /** Line and column of the function, both counted from 0. */
  lineNumber: number
  columnNumber: number
}

const maps = new Map<string, SourceMap | null>()

function mapOf(url: string): SourceMap | null {
  const known = maps.get(url)
  if (known !== undefined) return known
  const file = url.startsWith('file:') ? `${fileURLToPath(url)}.map` : undefined
  const found = file !== undefined && existsSync(file) ? new SourceMap(JSON.parse(readFileSync(file, 'utf8'))) : null
  maps.set(url, found)
  return found
}

/** Returns the path or URL of the source that has the function; the URL in the profile if there is no source map. */
export function sourceOf({ url, lineNumber, columnNumber }: CallFrame): string {
  const entry = mapOf(url)?.findEntry(lineNumber, columnNumber)
  return entry !== undefined && 'originalSource' in entry ? entry.originalSource : url
}
