/** Checks whether a list of addresses would lock out the person who is about to save it. */
import { z } from 'zod'
import type { AllowlistCheck } from '../../domain/dashboard.ts'
import { isIn, parseRanges, problemOfRange } from '../../egress/addresses.ts'
import { local } from '../../features/endpoint.ts'
import { plain } from '../../features/fields.ts'

const Entry = z.object({ cidr: plain(0, 100), note: z.string().nullish() })

export const allowlistCheck = local('dashboard.allowlistCheck', 'POST /allowlist/check', {
  access: 'admin',
  summary: 'Check whether an allowlist would refuse the caller',
  input: { enabled: z.boolean(), entries: z.array(Entry).max(200) },
  reply: z.custom<AllowlistCheck>(),
  async handle({ source }, { enabled, entries }) {
    const isGood = entries.map(({ cidr }) => problemOfRange(cidr) === undefined)
    const ranges = parseRanges(entries.flatMap(({ cidr }, index) => (isGood[index] ? cidr : [])))
    return {
      address: source,
      locked_out: enabled && !isIn(ranges, source),
      invalid: isGood.flatMap((good, index) => (good ? [] : index)),
    }
  },
})
