import type { Newsletter } from '../newsletter-model.ts'
import { MexError, type MexRequest as Request } from './document.ts'
import { roleOf } from './newsletter-shown.ts'

export function find({ network, variables }: Request): Newsletter {
  const input = variables.input as { key?: string } | undefined
  const key = String(variables.newsletter_id ?? input?.key ?? '')
  const found = network.newsletters.get(key) ?? [...network.newsletters.values()].find((item) => item.invite === key)
  if (!found) throw new MexError(404, 'Not Found')
  return found
}

export function owned(request: Request): Newsletter {
  const newsletter = find(request)
  const role = roleOf(newsletter, request.person)
  if (role !== 'OWNER' && role !== 'ADMIN') throw new MexError(403, 'Forbidden')
  return newsletter
}

export function ownersOnly(request: Request): Newsletter {
  const newsletter = find(request)
  if (newsletter.owner !== request.person.number) throw new MexError(403, 'Forbidden')
  return newsletter
}

export function administered(request: Request): Newsletter {
  const newsletter = find(request)
  const role = roleOf(newsletter, request.person)
  if (role !== 'OWNER' && role !== 'ADMIN') throw new MexError(401, 'Unauthorized')
  return newsletter
}
