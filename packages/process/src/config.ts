/** Configuration of a program: one strict schema gives flags, environment variables, file, help and documentation. */
export { defineConfig } from './config/define-config.ts'
export type {
  CommonValues,
  ConfigDefinition,
  ConfigDefinitionOptions,
  ConfigOf,
  ConfigValues,
  FlagOptions,
} from './config/define-config.ts'
export { parseYamlTree } from './config/parse-yaml-tree.ts'
export { loadConfig } from './config/load-config.ts'
export { watchConfigFile } from './config/watch-config-file.ts'
export type { ConfigSource } from './config/config-source.ts'
export type { LoadConfigOptions, LoadedConfig } from './config/load-config.ts'
export type { ReadFile } from './config/read-config-file.ts'
export { configKeys, schemaKeys } from './config/config-keys.ts'
export type { ConfigKey, SchemaKey } from './config/config-keys.ts'
export { issueSentences, pathText } from './config/issue-sentences.ts'
export type { IssueSentence } from './config/issue-sentences.ts'
export { parseByJsonSchema } from './config/json-schema.ts'
export type { JsonSchema, ParsedByJsonSchema } from './config/json-schema.ts'
export { isHostPort } from './host-port.ts'
export { ConfigError } from './errors.ts'
export type { LogLevel } from './log-level.ts'
export type { ExitRequest } from './exit-request.ts'
