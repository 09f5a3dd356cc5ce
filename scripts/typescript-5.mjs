/** Loaded before the generator of types, which prints with the API of TypeScript: the version that we build with (7) has no API. */
import { register } from 'node:module'

const hook = "export const resolve = (name, context, next) => next(name === 'typescript' ? 'typescript-5' : name, context)"
register(`data:text/javascript,${encodeURIComponent(hook)}`)
