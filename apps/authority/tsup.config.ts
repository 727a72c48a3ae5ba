import { defineConfig } from 'tsup'
// @boundaries-ignore one build setting for all apps
import { bundle, clientNodeApart } from '../../tsup.base.ts'

export default defineConfig(bundle('esm', { entry: { main: 'src/main.ts', ...clientNodeApart } }))
