/** Options with which esbuild makes each bundle for Node (threads.mjs, test-program.mjs). */

/**
 * Packages with native or WebAssembly parts, or that search for their own files at run time, and the packages that such packages share with others.
 */
const OUTSIDE = ['lmdb', 'sharp', 'whatsapp-rust-bridge', 'libheif-js', 'piscina', 'protobufjs', 'long']
/** The definitions of messages, which the library's own modules import by a path: otherwise each bundle would have another copy of 3 MB. */
const DEFINITIONS = '@whiskeysockets/baileys/WAProto/index.js'
const isOutside = (path) => OUTSIDE.some((name) => path === name || path.startsWith(`${name}/`))

/**
 * Modules that a bundle loads through Node: the packages above, the definitions, and packages that are loaded at their
 * first use.
 */
const outside = {
  name: 'outside',
  setup({ onResolve }) {
    onResolve({ filter: /WAProto\/index\.js$/ }, () => ({ path: DEFINITIONS, external: true }))
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === 'dynamic-import' || isOutside(path) ? { path, external: true } : undefined,
    )
  },
}

export const OPTIONS = {
  write: false,
  bundle: true,
  plugins: [outside],
  banner: { js: "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);" },
  platform: 'node',
  format: 'esm',
  target: 'node20',
  // Stack traces show the sources, as in the compiled modules.
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'warning',
}

/**
 * A single character that is not ASCII makes V8 store all of the code with two bytes per character. Only comments have
 * such characters, because esbuild escapes them elsewhere.
 */
export const inAscii = (code) => code.replace(/[\u0080-\uffff]/g, '?')
