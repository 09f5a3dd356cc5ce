/** Loaded before the generator of types: it prints with a TypeScript that has an API, which the one we build with (7) has not. */
import { register } from 'node:module'

const hook = "export const resolve = (name, context, next) => next(name === 'typescript' ? 'typescript-5' : name, context)"
register(`data:text/javascript,${encodeURIComponent(hook)}`)
