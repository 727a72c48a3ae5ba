import { nearestName } from '@berth/text/nearest-name'
import { PluginError } from '../errors.ts'
import { pluginKinds } from '../contract/berth-plugin.ts'
import type { BerthPlugin } from '../contract/berth-plugin.ts'
import { functionsByKind } from './check-created.ts'
import { currentApiVersion, previousApiVersion, statedApiVersion } from '../contract/api-version.ts'

const namePattern = /^[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?$/

/**
 * Checks that a value is a plugin for the current version of the contracts, or for the previous one.
 *
 * @param origin - Its path or "built in", for messages.
 * @throws PluginError BERTH_PLUGIN_SHAPE, BERTH_PLUGIN_VERSION, BERTH_PLUGIN_HOOK_UNSUPPORTED.
 */
export function checkPlugin(value: unknown, origin: string): BerthPlugin {
  if (typeof value !== 'object' || value === null)
    throw shapeError('it exports something that is not an object', origin)
  const plugin = value as Partial<Record<keyof BerthPlugin, unknown>>
  if (!supportedVersions.includes(statedApiVersion(plugin.apiVersion))) throw versionError(plugin, origin)
  refuseMisplacedHooks(plugin, origin)
  const fault = shapeFault(plugin)
  if (fault !== undefined) throw shapeError(`plugin "${String(plugin.name)}": ${fault}`, origin)
  return value as BerthPlugin
}

/** The versions of the contracts that a host accepts. */
const supportedVersions: readonly string[] = [currentApiVersion, previousApiVersion]

const keys: readonly string[] = ['kind', 'apiVersion', 'name', 'description', 'argsSchema', 'configMaps', 'create']
const hooks: readonly string[] = Object.values(functionsByKind).flatMap(({ known }) => known)

/** Refuses functions beside `create`, because no program runs them. */
function refuseMisplacedHooks(plugin: Partial<Record<keyof BerthPlugin, unknown>>, origin: string): void {
  const functions = Object.entries(plugin).flatMap(([key, value]) => (typeof value === 'function' ? key : []))
  const found = functions.find((key) => !keys.includes(key)) ?? hooks.find((hook) => hook in plugin)
  if (found === undefined) return
  const nearest = nearestName(found, hooks.includes(found) ? [] : keys)
  throw new PluginError(
    `load plugin from ${origin}: plugin "${String(plugin.name)}": "${found}" is not a function of a plugin`,
    {
      code: 'BERTH_PLUGIN_HOOK_UNSUPPORTED',
      hint: nearest === undefined ? `Return ${found} from create, if it is a hook.` : `Did you mean "${nearest}"?`,
    },
  )
}

function shapeFault(plugin: Partial<Record<keyof BerthPlugin, unknown>>): string | undefined {
  const { kind, name, description, argsSchema, create } = plugin
  if (!pluginKinds.some((known) => known === kind)) return `kind must be one of ${pluginKinds.join(', ')}`
  if (typeof name !== 'string' || !namePattern.test(name))
    return 'name must be lower-case words joined by hyphens or dots'
  if (typeof description !== 'string' || description === '') return 'description must be a sentence'
  if (typeof create !== 'function') return 'create must be a function'
  if (!isSchema(argsSchema)) return 'argsSchema must be a zod schema'
  return acceptsAnything(argsSchema) ? 'argsSchema must refuse unknown keys; use z.strictObject' : undefined
}

/** The part of a schema that zod 3 and 4 share, and the options of a union in zod 4. */
interface ArgsSchema {
  safeParse(value: unknown): { readonly success: boolean; readonly error?: { readonly issues?: readonly Issue[] } }
  readonly options?: unknown
}

interface Issue {
  readonly code?: string
  readonly path?: readonly PropertyKey[]
}

function isSchema(value: unknown): value is ArgsSchema {
  return typeof value === 'object' && value !== null && typeof (value as Partial<ArgsSchema>).safeParse === 'function'
}

const unknownKey = 'no-schema-has-this-key'

/** Returns whether the schema, or an option of a union, accepts or drops a key that it does not declare. */
function acceptsAnything(schema: ArgsSchema): boolean {
  if (Array.isArray(schema.options)) return schema.options.some((option) => isSchema(option) && acceptsAnything(option))
  const { success, error } = schema.safeParse({ [unknownKey]: true })
  const issues = error?.issues ?? []
  // An issue with another key, such as a missing one, does not show that the schema saw the unknown key.
  const isSeen = issues.some(({ code, path }) => code === 'unrecognized_keys' || path?.[0] === unknownKey)
  return success || (!isSeen && issues.some(({ path = [] }) => path.length > 0))
}

function shapeError(reason: string, origin: string): PluginError {
  return new PluginError(`load plugin from ${origin}: ${reason}`, {
    code: 'BERTH_PLUGIN_SHAPE',
    hint: 'Compare it with the template of its kind in examples/plugins.',
  })
}

function versionError({ name, apiVersion }: { name?: unknown; apiVersion?: unknown }, origin: string): PluginError {
  return new PluginError(
    `load plugin "${String(name)}" from ${origin}: it is written for ${statedApiVersion(apiVersion)}, this program supports ${supportedVersions.join(' and ')}`,
    {
      code: 'BERTH_PLUGIN_VERSION',
      hint: `Install a version of the plugin for ${currentApiVersion}, or a version of Berth that supports the plugin.`,
    },
  )
}
