/**
 * Files of the dashboard's client, read and compressed once. The name in a request is looked up only among these files,
 * never on disk.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import type { DashboardFile, DashboardFiles } from '../features/parts.ts'
import { CLOSED } from './page.ts'

const compress = promisify(gzip)

/** Folders in which the files may be: beside the compiled sources, or in `dist`. */
const FOLDERS = ['../../dashboard', '../../dist/dashboard', '../../../dist/dashboard'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
)

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
}
const PACKED: ReadonlySet<string> = new Set(['.png', '.ico', '.woff2'])

/** Matches a file whose name contains the bundler's content hash. Such a file never changes. */
const HASHED = /-[A-Za-z0-9_-]{8,}\.\w+$/

/** Policy of the dashboard. It allows nothing from other origins, and no inline scripts or styles. */
export const DASHBOARD_POLICY = [
  ...CLOSED,
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
].join('; ')

const NOT_BUILT = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Dashboard</title>
<p>The dashboard is not built. Run <code>npm run build</code> and start the service again.</p></html>
`

async function readFolder(folders: readonly string[]): Promise<{ folder: string; names: string[] } | undefined> {
  for (const folder of folders) {
    const names = await readdir(folder, { recursive: true }).catch((): string[] => [])
    if (names.includes('index.html')) return { folder, names }
  }
  return undefined
}

function fileOf(name: string, content: Uint8Array<ArrayBuffer>): DashboardFile {
  const extension = extname(name)
  let packed: Promise<Uint8Array<ArrayBuffer>> | undefined
  return {
    type: TYPES[extension] ?? 'application/octet-stream',
    etag: `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`,
    isForEver: HASHED.test(name),
    content,
    gzip: PACKED.has(extension)
      ? undefined
      : () => (packed ??= compress(content, { level: constants.Z_BEST_COMPRESSION }).then((bytes) => new Uint8Array(bytes))),
  }
}

/** Reads the files of the first folder with an `index.html`. Their names are paths with slashes. */
export async function createDashboardFiles(folders: readonly string[] = FOLDERS): Promise<DashboardFiles> {
  const files = new Map<string, DashboardFile>()
  const found = await readFolder(folders)
  for (const name of found?.names ?? []) {
    if (extname(name) === '.map') continue
    const bytes = await readFile(join(found!.folder, name)).catch(() => undefined)
    if (bytes) files.set(name.split(sep).join('/'), fileOf(name, new Uint8Array(bytes)))
  }
  if (!files.has('index.html')) files.set('index.html', fileOf('index.html', new TextEncoder().encode(NOT_BUILT)))
  return { policy: DASHBOARD_POLICY, file: (name) => files.get(name) }
}
