import { currentApiVersion } from '../../packages/plugin-api/src/contract/api-version.ts'

/** Path of the recorded types of the current version: `packages/plugin-api/api/v1.d.ts`. */
export const recordedPath = `packages/plugin-api/api/${currentApiVersion.replace(/^.*\//, '')}.d.ts`
