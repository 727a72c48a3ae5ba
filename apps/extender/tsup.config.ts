import { defineConfig } from 'tsup'
import { bundle } from '../../tsup.base.ts'

export default defineConfig(bundle('esm'))
