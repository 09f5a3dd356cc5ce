/** Configures n8n's own linters for `packages/n8n-nodes-svc`: for its sources, and for the files that are published. */
import community from '@n8n/eslint-plugin-community-nodes'
import parser from '@typescript-eslint/parser'
import nodes from 'eslint-plugin-n8n-nodes-base'

const plugins = { 'n8n-nodes-base': nodes, '@n8n/community-nodes': community }
const typescript = { parser, sourceType: 'module' }
const NOT_OURS = {
  // This rule contradicts the other linter, which requires the literal 'main'. So this rule is off.
  '@n8n/community-nodes/node-connection-type-literal': 'off',
  // The package gets its author and the URLs of its pages only when it is published, so these rules are off.
  '@n8n/community-nodes/valid-author': 'off',
  'n8n-nodes-base/community-package-json-author-missing': 'off',
  '@n8n/community-nodes/require-homepage': 'off',
  'n8n-nodes-base/cred-class-field-documentation-url-missing': 'off',
}
const rulesOf = (name) => ({ ...nodes.configs[name].rules, ...community.configs.recommended.rules, ...NOT_OURS })

// biome-ignore lint/style/noDefaultExport: ESLint reads the default export
export default [
  { ignores: ['**/*.d.ts'] },
  { files: ['**/*.ts'], ignores: ['**/credentials/*.ts'], languageOptions: typescript, plugins, rules: rulesOf('nodes') },
  { files: ['**/credentials/*.ts'], languageOptions: typescript, plugins, rules: rulesOf('credentials') },
  {
    files: ['**/package.json'],
    languageOptions: { parser, parserOptions: { extraFileExtensions: ['.json'] } },
    plugins,
    rules: rulesOf('community'),
  },
  { files: ['**/*.js'], languageOptions: { sourceType: 'commonjs' }, plugins, rules: community.configs.recommended.rules },
]
