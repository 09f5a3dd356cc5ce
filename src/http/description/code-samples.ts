/** Builds `x-codeSamples` of an operation: its first example as a request in curl and in TypeScript. */

import { BYTES, type Endpoint, EVENT_STREAM, isAnybodys, takesJson } from '../../features/endpoint.ts'

export interface CodeSample {
  lang: 'Shell' | 'TypeScript'
  label: 'curl' | 'fetch'
  source: string
}

const BASE = 'BASE_URL'
const VARIABLES: Readonly<Record<string, string>> = { instance_id: 'INSTANCE_ID', token: 'TOKEN' }

function credentialOf({ access }: Endpoint): string | undefined {
  if (access === 'metrics') return 'METRICS_TOKEN'
  if (access === 'admin') return 'ADMIN_KEY'
  return access === 'instance' || isAnybodys(access) ? undefined : 'API_KEY'
}

interface Asked {
  method: string
  path: string
  credential: string | undefined
  body: Record<string, unknown> | undefined
  headers: Readonly<Record<string, string>>
  takesFile: boolean
  answer: Answer
}

type Answer = 'json' | 'text' | 'file' | 'stream'

const READ: Readonly<Record<Answer, string>> = {
  json: 'await response.json()',
  text: 'await response.text()',
  file: 'await response.arrayBuffer()',
  stream: 'response.body',
}

function answerOf({ contentType }: Endpoint): Answer {
  if (contentType.startsWith(EVENT_STREAM)) return 'stream'
  if (contentType.includes('json')) return 'json'
  return contentType.startsWith('text/') ? 'text' : 'file'
}

function askedBy(endpoint: Endpoint): Asked {
  const { method, path, access, examples, inHeaders, takesFile } = endpoint
  const given = { ...examples.find(({ input }) => input)?.input }
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    // A field of the operation can have the name of a variable and another meaning, such as the `token` of an order.
    if (access === 'instance' && name in VARIABLES) return `{${VARIABLES[name]}}`
    const value = given[name]
    delete given[name]
    return encodeURIComponent(String(value))
  })
  const headers: Record<string, string> = {}
  for (const [name, field] of Object.entries(inHeaders)) {
    if (field in given) headers[name] = String(given[field])
    delete given[field]
  }
  const takesBody = takesJson(endpoint)
  const query = takesBody ? '' : new URLSearchParams(given as Record<string, string>).toString()
  return {
    method,
    path: query === '' ? filled : `${filled}?${query}`,
    credential: credentialOf(endpoint),
    body: takesBody && Object.keys(given).length > 0 ? given : undefined,
    headers,
    takesFile,
    answer: answerOf(endpoint),
  }
}

/** Quotes a text for a shell. Within single quotes, a shell takes everything literally except the quote itself. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

function curl({ method, path, credential, body, headers, takesFile, answer }: Asked): string {
  const url = `"$${BASE}${path.replace(/\{(\w+)\}/g, '$$$1')}"`
  const lines = [`curl${method === 'GET' ? '' : ` -X ${method}`} ${url}`]
  if (credential !== undefined) lines.push(`-H "Authorization: Bearer $${credential}"`)
  for (const [name, value] of Object.entries(headers)) lines.push(`-H ${quoted(`${name}: ${value}`)}`)
  if (takesFile) lines.push(`-H 'Content-Type: ${BYTES}'`, '--data-binary @file')
  if (body) lines.push(`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body))}`)
  if (answer === 'file') lines.push('-o file')
  if (answer === 'stream') lines.push('-N')
  return lines.join(' \\\n  ')
}

function typescript({ method, path, credential, body, headers: more, takesFile, answer }: Asked): string {
  const variables = [BASE, ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name), ...(credential ? [credential] : [])]
  const headers = [
    ...(credential ? [`Authorization: \`Bearer \${${credential}}\``] : []),
    ...Object.entries(more).map(([name, value]) => `'${name}': ${quoted(value)}`),
    ...(takesFile ? [`'Content-Type': '${BYTES}'`] : []),
    ...(body ? [`'Content-Type': 'application/json'`] : []),
  ]
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}'`]),
    ...(headers.length > 0 ? [`headers: { ${headers.join(', ')} }`] : []),
    ...(takesFile ? [`body: await openAsBlob('file')`] : []),
    ...(body ? [`body: JSON.stringify(${JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')})`] : []),
  ]
  const url = `\`\${${BASE}}${path.replace(/\{(\w+)\}/g, '$${$1}')}\``
  const call = options.length === 0 ? `fetch(${url})` : `fetch(${url}, {\n${options.map((line) => `  ${line},\n`).join('')}})`
  return [
    ...(takesFile ? [`import { openAsBlob } from 'node:fs'`] : []),
    `import { env } from 'node:process'\n`,
    `const { ${variables.join(', ')} } = env`,
    `const response = await ${call}`,
    'if (!response.ok) throw new Error(await response.text())',
    `const answer = ${READ[answer]}`,
  ].join('\n')
}

export function codeSamples(endpoint: Endpoint): CodeSample[] {
  const asked = askedBy(endpoint)
  return [
    { lang: 'Shell', label: 'curl', source: curl(asked) },
    { lang: 'TypeScript', label: 'fetch', source: typescript(asked) },
  ]
}
