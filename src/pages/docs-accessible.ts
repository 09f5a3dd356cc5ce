/** Part of the script of the API reference: makes Swagger UI usable with a screen reader. */
export const accessibleScript = `
/**
 * Changes the components of Swagger UI: a landmark is around each part of the page, no link is inside a button, and the
 * text of a button is its name. The choice of a server is left out, because there is only one.
 */
const accessible = ({ React: { createElement } }) => {
  const within = (attributes) => (Original) => (props) => createElement('section', attributes, createElement(Original, props))
  const PlainText = ({ text }) => createElement('span', null, text)
  return {
    wrapComponents: {
      InfoContainer: within({ 'aria-label': 'About this API' }),
      AuthorizeBtnContainer: within({ 'aria-label': 'Authorization' }),
      FilterContainer: within({ role: 'search' }),
      ServersContainer: () => () => null,
      OperationSummaryPath: (Original) => (props) =>
        createElement(Original, {
          ...props,
          getComponent: (name, ...options) => (name === 'DeepLink' ? PlainText : props.getComponent(name, ...options)),
        }),
      Button: (Original) => ({ 'aria-label': label, ...props }) =>
        createElement(Original, typeof props.children === 'string' ? props : { ...props, 'aria-label': label }),
    },
  }
}
const rowOf = (control) => control.closest('tr').dataset
/**
 * The attributes that an element gets, by selector. If the value is null, the attribute is removed. Only the first
 * selector that matches an element counts.
 */
const ATTRIBUTES = Object.entries({
  '.dialog-ux': () => ({ role: 'dialog', 'aria-modal': 'true', 'aria-label': 'Available authorizations' }),
  '.close-modal': () => ({ 'aria-label': 'Close the authorizations' }),
  // A screen reader would not read a table with the role of a region as a table.
  'table[role="region"]': () => ({ role: null }),
  'tr[data-code] .examples-select-element': (control) => ({ 'aria-label': 'Example of the answer ' + rowOf(control).code }),
  '.examples-select-element': () => ({ 'aria-label': 'Example of the request' }),
  'tr :is(input:not([type="checkbox"]), select:not([aria-label]), textarea)': (control) => ({
    'aria-label': rowOf(control).paramName || rowOf(control).propertyName || null,
  }),
  '.opblock-section-request-body :is(input[type="file"], textarea)': () => ({ 'aria-label': 'Body of the request' }),
  '.operation-filter-input': () => ({ 'aria-label': 'Search for an operation' }),
  '.json-schema-2020-12-accordion:not(:has(.json-schema-2020-12-accordion__children > *))': () => ({ 'aria-label': 'Schema' }),
  // With the focus on it, a long text can be scrolled with the keyboard.
  '.microlight': () => ({ tabindex: '0' }),
})
const ANY = ATTRIBUTES.map(([selector]) => selector).join(', ')
const complete = (element) => {
  const [, attributesOf] = ATTRIBUTES.find(([selector]) => element.matches(selector))
  for (const [name, value] of Object.entries(attributesOf(element)))
    if (value === null) element.removeAttribute(name)
    else if (element.getAttribute(name) !== value) element.setAttribute(name, value)
}
const reference = document.getElementById('reference')
new MutationObserver(() => reference.querySelectorAll(ANY).forEach(complete)).observe(reference, { childList: true, subtree: true })
`
