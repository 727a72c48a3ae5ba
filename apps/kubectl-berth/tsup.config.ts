import { defineConfig } from 'tsup'
// @boundaries-ignore one build setting for all apps
import { bundle } from '../../tsup.base.ts'

const base = bundle('esm')
// People run this one with the Node that they have; an old one would fail somewhere inside a library.
const guard = `if (Number.parseInt(process.versions.node, 10) < 24) { process.stderr.write("kubectl-berth needs Node 24 or newer; this is " + process.version + ".\\n"); process.exit(1) }`

export default defineConfig({
  ...base,
  banner: { js: `${typeof base.banner === 'object' ? (base.banner.js ?? '') : ''}\n${guard}` },
})
