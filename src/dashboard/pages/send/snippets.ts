/** Writes the request of the form as code for a developer. The code reads the token from the variable TOKEN. */
import { session } from '../../api/session.ts'

export interface Request {
  instance: string
  path: string
  body: Record<string, unknown>
}

const urlOf = ({ instance, path }: Request) =>
  `${session.value?.base_url ?? ''}/instances/${instance}/token`.concat('/$TOKEN', path)

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

export const curlOf = (request: Request) =>
  `curl -s "${urlOf(request)}" -H 'content-type: application/json' -d ${quoted(JSON.stringify(request.body))}`

export const typeScriptOf = (request: Request) =>
  `const TOKEN = '' // The token of the instance.
const answer = await fetch(\`${urlOf(request).replace('$TOKEN', '$' + '{TOKEN}')}\`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(${JSON.stringify(request.body, null, 2).replaceAll('\n', '\n  ')}),
})
console.log(answer.status, await answer.json())
`
