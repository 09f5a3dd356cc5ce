/**
 * Groups a sampled profile by cause. Each sample counts for one frame: the innermost frame that a rule below matches.
 */
import { type CallFrame, sourceOf } from './sources.ts'

interface ProfileNode {
  id: number
  callFrame: CallFrame
  children?: number[]
}
export interface Profile {
  nodes: ProfileNode[]
  samples: number[]
  timeDeltas: number[]
}

/** Rules, of which the first match counts. `name` matches a function without a file, which belongs to V8. */
const RULES: readonly { cause: string; name?: RegExp; url?: RegExp }[] = [
  { cause: 'idle', name: /^\(idle\)$/ },
  { cause: 'idle', url: /node:inspector|profiling\.mjs/ },
  { cause: 'GC', name: /^\(garbage collector\)$/ },
  { cause: 'native without a JS frame', name: /^\((program|root)\)$/ },
  { cause: 'JSON, valibot, zod', name: /^(stringify|parse)$/, url: /^$/ },
  { cause: 'JSON, valibot, zod', url: /node_modules\/(valibot|zod)\// },
  { cause: 'sealing, blind names', url: /src\/storage\/sealer\./ },
  { cause: 'PostgreSQL', url: /node_modules\/pg(-[a-z]+)?\/|storage\/drivers\/postgres/ },
  { cause: 'lmdb', url: /node_modules\/(lmdb|msgpackr|ordered-binary)\/|storage\/(drivers|commit-chain)|instance-store/ },
  { cause: 'webhooks', url: /node_modules\/undici\/|src\/(webhooks|egress)\/|workers\/shard\/webhooks\// },
  { cause: 'Signal', url: /wasm:|whatsapp-rust-bridge|workers\/shard\/keys\/|lid-mapping/ },
  { cause: 'Noise, nodes, websocket', url: /noise-handler|WABinary|node_modules\/ws\/|workers\/shard\/wire\/|thread\/cork/ },
  { cause: 'library, protobuf', url: /node_modules\/(@whiskeysockets|protobufjs|async-mutex|@cacheable|@hapi|long)\// },
  { cause: 'HTTP', url: /node:(_http|internal\/http|http)|node_modules\/(hono|@hono)\/|src\/http\// },
  {
    cause: 'threads',
    url: /node_modules\/piscina\/|internal\/(worker|per_context\/messageport)|src\/engine\/|workers\/shard\/host/,
  },
  { cause: 'timers', url: /node:(internal\/)?timers/ },
  { cause: 'AsyncLocalStorage, hooks', url: /async_hooks|async-storage|async_local/ },
  { cause: 'AbortSignal, events', url: /node:internal\/(event_target|abort_controller)/ },
  { cause: 'log lines', url: /node_modules\/(pino|sonic-boom|thread-stream|safe-stable)|src\/log\./ },
  {
    cause: 'sockets, streams',
    url: /node:(net|internal\/stream|stream|_tls|internal\/js_stream|dns|tls|buffer|internal\/buffer)/,
  },
  { cause: 'cryptography', url: /node:(internal\/crypto|crypto)/ },
  { cause: 'queue, send', url: /workers\/shard\/(queue|send|operations|translate\/outbound|retry)\// },
  {
    cause: 'receipts, directory, chats',
    url: /workers\/shard\/(receipts|receive|directory|chats|translate|connection|lifecycle)\//,
  },
  { cause: 'promises, process', url: /node:(internal\/process|internal\/promise|events|internal\/util)/ },
  { cause: 'rest', url: /./ },
]

function causeOf(frame: CallFrame): string | undefined {
  const { functionName } = frame
  const url = sourceOf(frame)
  return RULES.find((rule) => (rule.name?.test(functionName) ?? true) && (rule.url?.test(url) ?? true))?.cause
}

/**
 * Returns the share of each cause in all samples that were not idle, the largest share first. `functions` has the
 * shares of single functions.
 */
export function byCause({ nodes, samples, timeDeltas }: Profile) {
  const parents = new Map<number, ProfileNode>()
  const known = new Map(nodes.map((node) => [node.id, node]))
  for (const node of nodes) for (const child of node.children ?? []) parents.set(child, node)
  const causes = new Map<number, string>()
  function cause(node: ProfileNode): string {
    let found = causes.get(node.id)
    if (found !== undefined) return found
    const parent = parents.get(node.id)
    found = causeOf(node.callFrame) ?? (parent ? cause(parent) : 'rest')
    causes.set(node.id, found)
    return found
  }
  const shares = new Map<string, number>()
  const functions = new Map<string, number>()
  let all = 0
  samples.forEach((id, index) => {
    const node = known.get(id)!
    const why = cause(node)
    if (why === 'idle') return
    const time = timeDeltas[index]!
    all += time
    shares.set(why, (shares.get(why) ?? 0) + time)
    const { functionName } = node.callFrame
    const name = `${functionName || '(anonymous)'} ${sourceOf(node.callFrame).split('/').slice(-2).join('/')}`
    functions.set(name, (functions.get(name) ?? 0) + time)
  })
  const sorted = (times: Map<string, number>) =>
    [...times].map(([name, time]) => [name, time / all] as const).sort((a, b) => b[1] - a[1])
  return { causes: sorted(shares), functions: sorted(functions) }
}
