import { accessibleScript } from './docs-accessible.ts'

/**
 * Script of the API reference. Swagger UI gets a description without phone numbers, so that nobody sends to a number of
 * an example by accident.
 */
export const docsScript = `
const dark = matchMedia('(prefers-color-scheme: dark)')
const showColours = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
showColours()
dark.addEventListener('change', showColours)
const TAB = 'svc_docs'
const remembered = () => {
  try {
    return JSON.parse(sessionStorage.getItem(TAB)) || {}
  } catch {
    return {}
  }
}
/** Matches a phone number, or the id of a group, a channel or a person. */
const NUMBER = /^[1-9][0-9]{9,}(-group|@[a-z.]+)?$/
const withoutNumbers = (value) => {
  if (typeof value === 'string') return NUMBER.test(value) ? '' : value
  if (Array.isArray(value)) return value.map(withoutNumbers)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, key === 'responses' ? each : withoutNumbers(each)]))
}
const METHODS = ['get', 'put', 'post', 'delete', 'patch']
const filled = (parameter, values) => {
  if (parameter.name === 'Prefer') return { ...parameter, example: undefined, examples: undefined }
  const value = parameter.in === 'path' && values[parameter.name]
  return value ? { ...parameter, example: value, examples: undefined } : parameter
}
const prepared = (description, values) => {
  const { paths, ...others } = withoutNumbers(description)
  if (others.info.license) others.info.license.name += ' license'
  // Swagger UI would show the backquotes around code in a summary, so they are removed.
  for (const { post } of Object.values(others.webhooks || {})) if (post && post.summary) post.summary = post.summary.replaceAll('\\u0060', '')
  for (const item of Object.values(paths))
    for (const method of METHODS)
      if (item[method]) item[method].parameters = (item[method].parameters || []).map((each) => filled(each, values))
  return { ...others, paths }
}
const OF_INSTANCE = new RegExp('/instances/([0-9a-f-]{36})/token/([0-9a-f]+)')
const fields = document.forms.instance.elements
const keep = (values) => {
  try {
    sessionStorage.setItem(TAB, JSON.stringify(values))
  } catch {
    // If the browser refuses to store the values, the page forgets the instance when it is loaded again.
  }
  for (const name of ['instance_id', 'token']) fields[name].value = values[name] || ''
}
const asked = new Set()
/**
 * Returns the digits of a phone number, and every other value unchanged. A short number without a plus may lack its
 * country code, so the page asks about it, until the user has confirmed this number. Throws if the user answers that the
 * code is missing.
 */
const read = (text) => {
  if (typeof text !== 'string' || !/^[+]?[0-9 ().-]+$/.test(text.trim())) return text
  const digits = text.replace(/[^0-9]/g, '').replace(/^00/, '')
  const isWhole = text.trim().startsWith('+') || digits.length > 11 || asked.has(digits)
  if (!isWhole && !confirm('The number will be used as +' + digits + '. Is its country code there?'))
    throw new Error('Write the number with its country code, for example 55 11 …')
  asked.add(digits)
  return digits
}
const withNumbers = (body) => {
  try {
    const input = JSON.parse(body)
    return input && typeof input.phone === 'string' ? JSON.stringify({ ...input, phone: read(input.phone) }) : body
  } catch (error) {
    if (error instanceof SyntaxError) return body
    throw error
  }
}
const LEAST = 3
const textOf = (tag, operation) =>
  [tag, operation.get('path'), operation.getIn(['operation', 'summary']), operation.getIn(['operation', 'operationId'])].join(' ').toLowerCase()
/** Returns the groups that contain a matching operation. Each group keeps only its matching operations. */
const found = (groups, phrase) =>
  groups
    .map((group, tag) => group.set('operations', group.get('operations').filter((each) => textOf(tag, each).includes(phrase.trim().toLowerCase()))))
    .filter((group) => group.get('operations').size > 0)
const partOf = (description, path) => path.reduce((part, key) => part && part[key], description)
const pathOf = (reference) => reference.slice(2).split('/').map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
/**
 * Returns the value with each reference replaced by the part of the description that it names. A reference to a part
 * that contains the reference itself is kept, because replacing it would never end.
 */
const withoutReferences = (description, value, within = []) => {
  if (Array.isArray(value)) return value.map((each) => withoutReferences(description, each, within))
  if (value === null || typeof value !== 'object') return value
  const { $ref, ...others } = value
  if (typeof $ref === 'string' && !within.includes($ref))
    return {
      ...withoutReferences(description, partOf(description, pathOf($ref)), [...within, $ref]),
      ...withoutReferences(description, others, within),
    }
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withoutReferences(description, each, within)]))
}
/**
 * Replaces the two parts of Swagger UI that take most of the time until the page is shown. Swagger UI reads the
 * description as YAML, and resolves the references of all operations to show one operation.
 */
const readQuickly = () => ({
  fn: {
    resolveSubtree: async (description, path) => ({ spec: withoutReferences(description, partOf(description, path)), errors: [] }),
  },
  statePlugins: {
    spec: { wrapActions: { parseToJson: (_, { specActions }) => (text) => specActions.updateJsonSpec(JSON.parse(text)) } },
  },
})
/** Makes the search find operations. Swagger UI itself compares the phrase only with the names of groups. */
const filterOperations = () => ({ fn: { opsFilter: found } })
/** Opens the groups that a search has found, unless the phrase is so short that it finds nearly all groups. */
document.addEventListener('input', ({ target }) => {
  if (!target.matches('.operation-filter-input') || target.value.trim().length < LEAST) return
  for (const tag of found(ui.specSelectors.taggedOperations(), target.value).keySeq())
    ui.layoutActions.show(['operations-tag', tag], true)
})
${accessibleScript}
const ui = SwaggerUIBundle({
  url: './openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: -1,
  validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis],
  // The colours of the default theme are too faint to read.
  syntaxHighlight: { theme: 'tomorrow-night' },
  plugins: [filterOperations, readQuickly, accessible],
  requestInterceptor: (request) => {
    const [, instance_id, token] = OF_INSTANCE.exec(request.url) || []
    if (instance_id) keep({ instance_id, token })
    if (typeof request.body === 'string') request.body = withNumbers(request.body)
    return request
  },
  responseInterceptor: (response) => {
    if (!response.url.endsWith('/openapi.json')) return response
    return { ...response, text: JSON.stringify(prepared(JSON.parse(response.text), remembered())) }
  },
})
window.ui = ui
keep(remembered())
/**
 * Moves the focus to the first field of the dialog with the keys. Swagger UI gives it to the last field, so the dialog
 * would show its end first.
 */
document.addEventListener('click', ({ target }) => {
  if (!target.closest('.auth-wrapper .authorize')) return
  setTimeout(() => {
    const first = document.querySelector('.modal-ux-content input')
    if (first) first.focus()
    if (first) first.closest('.modal-ux-content').scrollTop = 0
  })
})
document.forms.instance.addEventListener('submit', (event) => event.preventDefault())
document.forms.instance.addEventListener('change', () => {
  keep({ instance_id: fields.instance_id.value.trim(), token: fields.token.value.trim() })
  // The page is loaded again, because that is faster: Swagger UI takes seconds to apply a changed description.
  if (fields.instance_id.value && fields.token.value) location.reload()
})
`
