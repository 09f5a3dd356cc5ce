/**
 * Loads the API of TypeScript 5, which the generator of types needs. Import this module before the generator: version
 * 7, with which we build, has no API.
 */
import { register } from 'node:module'

const hook = "export const resolve = (name, context, next) => next(name === 'typescript' ? 'typescript-5' : name, context)"
register(`data:text/javascript,${encodeURIComponent(hook)}`)
