/**
 * Operations as tools of the Model Context Protocol. Some operations have their own tools, and three generic tools
 * reach every operation that agents may call.
 */
import { z } from 'zod'
import { Failure } from '../domain/failures.ts'
import { AREAS, areaOf } from './areas.ts'
import { type Endpoint, EVENT_STREAM } from './endpoint.ts'
import { oneOf, plain } from './fields.ts'
import { endpoints } from './index.ts'
import { parseInput, type RawFields } from './input.ts'
import { HTML } from './page.ts'

interface Toolset {
  reads?: readonly string[]
  writes?: readonly string[]
  destroys?: readonly string[]
}

const TOOLSETS: Readonly<Record<string, Toolset>> = {
  instance: {
    reads: ['instance.status', 'instance.me', 'instance.device', 'instance.qrCode'],
    writes: ['instance.phoneCode', 'instance.restart'],
  },
  send: {
    writes: [
      'send.sendText',
      'send.sendImage',
      'send.sendAudio',
      'send.sendVideo',
      'send.sendDocument',
      'send.sendLocation',
      'send.sendContact',
      'send.sendLink',
      'send.sendPoll',
      'send.sendReaction',
      'messages.readMessage',
      'messages.sendPresence',
    ],
  },
  queue: { reads: ['queue.list'], destroys: ['queue.clear', 'queue.remove'] },
  chats: { reads: ['chats.list', 'chats.get'], writes: ['chats.archive', 'chats.pin', 'chats.mute', 'chats.read'] },
  contacts: {
    reads: ['contacts.list', 'contacts.get', 'contacts.exists', 'contacts.existsBatch'],
    writes: ['contacts.block', 'contacts.unblock'],
  },
  groups: {
    reads: ['groups.list', 'groups.metadata', 'groups.invitationLink', 'groups.participantRequests'],
    writes: [
      'groups.create',
      'groups.updateName',
      'groups.updateDescription',
      'groups.updateSettings',
      'groups.addParticipants',
      'groups.promoteParticipants',
      'groups.demoteParticipants',
      'groups.approveParticipants',
      'groups.rejectParticipants',
    ],
    destroys: ['groups.removeParticipants', 'groups.leave'],
  },
  communities: { reads: ['communities.list', 'communities.metadata'] },
  newsletters: { reads: ['newsletters.list', 'newsletters.metadata', 'newsletters.search', 'newsletters.messages'] },
  business: { reads: ['business.profile', 'business.products'] },
  labels: { reads: ['labels.list'], writes: ['labels.addToChat', 'labels.removeFromChat'] },
}

const OPERATIONS = 'operations'
export const TOOLSET_NAMES: readonly string[] = [...Object.keys(TOOLSETS), OPERATIONS]

export interface Tool {
  name: string
  title: string
  description: string
  inputSchema: JsonSchema
  annotations: { title: string; readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean; openWorldHint: true }
}
export type JsonSchema = { type: 'object'; [keyword: string]: unknown }

/**
 * True for operations that no tool may call. They control the session, change the settings, show credentials, direct
 * events elsewhere, or need a person in a browser.
 */
const isWithheld = ({ id }: Endpoint) =>
  ['instance.disconnect', 'instance.pause', 'instance.resume'].includes(id) ||
  id === 'instance.updateSettings' ||
  id.startsWith('instance.passkey') ||
  areaOf(id) === 'webhooks'

/** Content types that models cannot use: pages for people, and answers that do not end. */
const FOR_OTHERS: ReadonlySet<string> = new Set([HTML, EVENT_STREAM])
const reachable: ReadonlyMap<string, Endpoint> = new Map(
  endpoints
    .filter((endpoint) => endpoint.access === 'instance' && !FOR_OTHERS.has(endpoint.contentType) && !isWithheld(endpoint))
    .map((endpoint) => [endpoint.id, endpoint]),
)

const snake = (text: string) => text.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const AS_ROUTES: Readonly<Record<string, string>> = {
  'contacts.exists': 'phone_exists',
  'contacts.existsBatch': 'phone_exists_batch',
}

/**
 * Returns the name of a tool: `groups.updateName` becomes `groups_update_name`. The areas `send` and `messages` are
 * left out.
 */
function toolName(id: string): string {
  const area = areaOf(id)
  const own = snake(id.slice(area.length + 1))
  return AS_ROUTES[id] ?? (area === 'send' || area === 'messages' ? own : `${area}_${own}`)
}

function schemaOf(fields: z.ZodRawShape): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(z.object(fields), { io: 'input', unrepresentable: 'any' })
  return schema as JsonSchema
}

const hintsOf = (title: string, { reads, destroys, repeats }: { reads: boolean; destroys: boolean; repeats: boolean }) => ({
  title,
  readOnlyHint: reads,
  destructiveHint: destroys,
  idempotentHint: reads || repeats,
  openWorldHint: true as const,
})

const wordsOf = ({ summary, description }: Endpoint) => (description === undefined ? summary : `${summary}. ${description}`)

function toolOf(endpoint: Endpoint, reads: boolean, destroys: boolean): Tool {
  const { id, summary, method, fields } = endpoint
  return {
    name: toolName(id),
    title: summary,
    description: wordsOf(endpoint),
    inputSchema: schemaOf(fields),
    annotations: hintsOf(summary, { reads, destroys, repeats: method === 'PUT' || method === 'DELETE' }),
  }
}

const areas = [...new Set([...reachable.keys()].map(areaOf))] as [string, ...string[]]
const operationId = plain(1, 64).meta({ description: 'Id of an operation from `list_operations`.', examples: ['groups.create'] })

const LISTING = {
  area: oneOf(areas).optional().meta({ description: 'List only the operations of this area.' }),
}
const DESCRIBING = { operation_id: operationId }
const CALLING = {
  operation_id: operationId,
  arguments: z.record(z.string(), z.unknown()).default({}).meta({
    description: 'Fields of the path, query and body of the operation in one object, as `describe_operation` describes them.',
    // Without this line, the schema has `{}` here, which means the same; but some clients cannot handle `{}`.
    additionalProperties: true,
  }),
}

const REACHING: readonly Tool[] = [
  {
    name: 'list_operations',
    title: 'List every operation',
    description: `Names and summaries of all operations that \`call_operation\` can reach. Areas: ${areas.map((area) => `${area} (${AREAS[area]!.title})`).join('; ')}.`,
    inputSchema: schemaOf(LISTING),
    annotations: hintsOf('List every operation', { reads: true, destroys: false, repeats: true }),
  },
  {
    name: 'describe_operation',
    title: 'Describe one operation',
    description: 'Returns the description of an operation and the JSON Schema of its arguments.',
    inputSchema: schemaOf(DESCRIBING),
    annotations: hintsOf('Describe one operation', { reads: true, destroys: false, repeats: true }),
  },
  {
    name: 'call_operation',
    title: 'Call any operation',
    description: 'Calls an operation that has no tool of its own. `describe_operation` describes its arguments.',
    inputSchema: schemaOf(CALLING),
    annotations: hintsOf('Call any operation', { reads: false, destroys: true, repeats: false }),
  },
]

interface Catalogue {
  tools: ReadonlyMap<string, readonly Tool[]>
  operations: ReadonlyMap<string, Endpoint>
}

let made: Catalogue | undefined

/**
 * Returns the tools. They are created when they are first needed, because a service without agents does not need them.
 */
function catalogue(): Catalogue {
  if (made) return made
  const operations = new Map<string, Endpoint>()
  const tools = new Map<string, readonly Tool[]>()
  for (const [toolset, { reads = [], writes = [], destroys = [] }] of Object.entries(TOOLSETS)) {
    const found = [...reads, ...writes, ...destroys].map((id) => {
      const endpoint = reachable.get(id)
      if (!endpoint) throw new Error(`the list of tools names ${id}, but no operation has this id`)
      operations.set(toolName(id), endpoint)
      return toolOf(endpoint, reads.includes(id), destroys.includes(id))
    })
    tools.set(toolset, found)
  }
  made = { tools: tools.set(OPERATIONS, REACHING), operations }
  return made
}

/**
 * Returns the tools of these toolsets, or all tools if no toolset is given. Throws `invalid_request` for an unknown
 * name.
 */
export function toolsOf(toolsets?: readonly string[]): readonly Tool[] {
  const { tools } = catalogue()
  for (const name of toolsets ?? [])
    if (!tools.has(name))
      throw Failure.invalid({ path: 'toolsets', message: `must be a comma-separated list of ${TOOLSET_NAMES.join(', ')}` })
  return [...tools].flatMap(([toolset, found]) => (toolsets === undefined || toolsets.includes(toolset) ? found : []))
}

export interface Toolbox {
  tools: readonly Tool[]
  /** Returns a sentence that says why a tool of this name cannot be called; undefined if it can. */
  problemOf(name: string): string | undefined
}

const MISSPELT = /^tool[-_]?sets?(\[\])?$/i

/**
 * Returns the tools that a client may list and call. `toolsets` in the URL restricts them. A misspelled or repeated
 * parameter is refused, because ignoring it could allow all tools.
 */
export function toolboxOf(query: URLSearchParams): Toolbox {
  const wrong = [...query.keys()].find((name) => name !== 'toolsets' && MISSPELT.test(name))
  if (wrong !== undefined) throw Failure.invalid({ path: wrong, message: 'must be spelled toolsets' })
  const given = query.getAll('toolsets')
  if (given.length > 1) throw Failure.invalid({ path: 'toolsets', message: 'must be given once, as a comma-separated list' })
  const toolsets = given[0]?.split(',')
  const tools = toolsOf(toolsets)
  return {
    tools,
    problemOf(name) {
      if (tools.some((tool) => tool.name === name)) return undefined
      if (!isTool(name)) return `There is no tool ${name.slice(0, 64)}.`
      return `The tool ${name} is not in the toolsets of this address (${toolsets!.join(', ')}).`
    },
  }
}

export const isTool = (name: string): boolean => catalogue().operations.has(name) || REACHING.some((tool) => tool.name === name)

export type ToolCall = { operation: Endpoint; fields: RawFields } | { answer: Record<string, unknown> }

const parse = (fields: z.ZodRawShape, given: RawFields) =>
  parseInput({ input: z.object(fields), ignored: () => [] }, given) as Record<string, unknown>

function operationNamed(id: unknown): Endpoint {
  const operation = reachable.get(String(id))
  if (!operation)
    throw new Failure('not_found', {
      message: 'No operation with this id is available to tools; list_operations lists the available ones.',
    })
  return operation
}

/**
 * Finds the operation that a call of a tool means, or answers the call directly. Throws an `Error` if `isTool` is false
 * for the name, and `Failure` for invalid arguments of the three generic tools.
 */
export function toolCall(name: string, given: RawFields): ToolCall {
  const operation = catalogue().operations.get(name)
  if (operation) return { operation, fields: given }
  switch (name) {
    case 'list_operations': {
      const { area } = parse(LISTING, given)
      const found = [...reachable.values()].filter(({ id }) => area === undefined || areaOf(id) === area)
      return { answer: { data: found.map(({ id, summary }) => ({ operation_id: id, summary })) } }
    }
    case 'describe_operation': {
      const found = operationNamed(parse(DESCRIBING, given).operation_id)
      return { answer: { operation_id: found.id, description: wordsOf(found), input_schema: schemaOf(found.fields) } }
    }
    case 'call_operation': {
      const { operation_id, arguments: fields } = parse(CALLING, given)
      return { operation: operationNamed(operation_id), fields: fields as RawFields }
    }
    default:
      throw new Error(`there is no tool ${name}`)
  }
}
