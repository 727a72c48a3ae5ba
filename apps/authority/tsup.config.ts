import { defineConfig } from 'tsup'
// @boundaries-ignore one build setting for all apps
import { bundle } from '../../tsup.base.ts'

export default defineConfig(bundle('esm'))
