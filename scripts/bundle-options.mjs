/** esbuild's options for the bundles of threads.mjs and test-program.mjs, which Node runs. */

/**
 * Packages that stay outside a bundle: those with native or WebAssembly parts, those that search for their own files at
 * run time, and packages that code outside the bundle uses too.
 */
const OUTSIDE = ['lmdb', 'sharp', 'whatsapp-rust-bridge', 'libheif-js', 'piscina', 'protobufjs', 'long']
/**
 * Baileys' definitions of all messages (3 MB). They stay outside the bundles, because each bundle would contain another
 * copy.
 */
const DEFINITIONS = '@whiskeysockets/baileys/WAProto/index.js'
const isOutside = (path) => OUTSIDE.some((name) => path === name || path.startsWith(`${name}/`))

/**
 * esbuild plugin that leaves some modules to Node, which loads them at run time: the packages and the definitions
 * above, and every package that is loaded at its first use.
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
  // With source maps, stack traces show the sources, as those of the compiled modules do.
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'warning',
}

/**
 * Replaces each character that is not ASCII by `?`, because a single one above U+00FF makes V8 store all of the code
 * with two bytes per character. Comments have such characters; in texts, esbuild escapes them. It escapes none in
 * regular expressions, so bundled code must write `\u` there.
 */
export const inAscii = (code) => code.replace(/[\u0080-\uffff]/g, '?')
