import { z } from 'zod'
import { plain } from './fields.ts'

const INVITE_LINK_INVALID = { code: 'invite_link_invalid' } as const
const CODE = /^([\w-]+)\/?(?:\?.*)?$/

/** An invitation link or its code; only the code is kept. `form` is the form of the link in texts. */
export const linkTo = (link: RegExp, form: string, example: string) =>
  plain(1, 256)
    .transform((value, context) => {
      const [, code] = link.exec(value) ?? CODE.exec(value) ?? []
      if (code !== undefined) return code
      context.addIssue({ code: 'custom', message: `must be \`${form}\` or the code`, params: INVITE_LINK_INVALID })
      return z.NEVER
    })
    .meta({ description: `Invitation link \`${form}\`, or only its code.`, examples: [example], minLength: 1, maxLength: 256 })
