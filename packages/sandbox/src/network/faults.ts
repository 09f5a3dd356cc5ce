import type { FaultAction, FaultInput } from '../control/schemas/network.ts'

interface Rule {
  id: string
  on: FaultInput['on']
  match: [string, string][]
  action: FaultAction
  left: number
}

export interface Faults {
  add(input: FaultInput): { id: string }
  clear(): void
  /**
   * Returns the action of the first matching rule, and counts this use of the rule. `facts`: attributes of the stanza,
   * and `child`, `phone` and `direction` (`from_client` or `to_client`).
   */
  take(on: FaultInput['on'], facts: Record<string, string | undefined>): FaultAction | undefined
}

/**
 * Returns the direction of the stanzas that a fault affects by default: faults that corrupt or duplicate affect stanzas
 * of the network, all others stanzas of the client. Undefined for faults of anything that has only one direction.
 */
function defaultDirection(on: FaultInput['on'], action: FaultAction): string | undefined {
  if (on !== 'message' && on !== 'receipt' && on !== 'presence' && on !== 'call') return undefined
  const harmsDelivery = action === 'duplicate' || (typeof action === 'object' && 'corrupt' in action)
  return harmsDelivery ? 'to_client' : 'from_client'
}

export function createFaults(): Faults {
  let rules: Rule[] = []
  let next = 1
  return {
    add({ on, match = {}, do: action, times }) {
      const direction = defaultDirection(on, action)
      const wanted = direction === undefined ? match : { direction, ...match }
      const id = `fault-${next++}`
      rules.push({ id, on, match: Object.entries(wanted), action, left: times ?? Number.POSITIVE_INFINITY })
      return { id }
    },
    clear() {
      rules = []
    },
    take(on, facts) {
      if (rules.length === 0) return undefined
      const rule = rules.find((item) => item.on === on && item.match.every(([name, value]) => facts[name] === String(value)))
      if (!rule) return undefined
      rule.left -= 1
      if (rule.left <= 0) rules = rules.filter((item) => item !== rule)
      return rule.action
    },
  }
}
