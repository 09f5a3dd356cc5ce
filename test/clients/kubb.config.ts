/**
 * Configures kubb: it generates types and a client that consists of functions, from the OpenAPI description that the
 * test wrote.
 */
import { defineConfig } from '@kubb/core'
import { pluginClient } from '@kubb/plugin-client'
import { pluginOas } from '@kubb/plugin-oas'
import { pluginTs } from '@kubb/plugin-ts'

// biome-ignore lint/style/noDefaultExport: the generator reads the default export of its configuration.
export default defineConfig({
  root: '.',
  input: { path: './generated/openapi.json' },
  output: { path: './generated/others/kubb', clean: true, format: false, lint: false },
  plugins: [
    pluginOas({ generators: [] }),
    pluginTs({ output: { path: 'models' } }),
    pluginClient({ output: { path: 'clients' }, client: 'fetch' }),
  ],
})
