/**
 * Loads the API of TypeScript 5 for the generator of types, before the generator itself: the version that we build with
 * (7) has no API.
 */
import { register } from 'node:module'

const hook = "export const resolve = (name, context, next) => next(name === 'typescript' ? 'typescript-5' : name, context)"
register(`data:text/javascript,${encodeURIComponent(hook)}`)
