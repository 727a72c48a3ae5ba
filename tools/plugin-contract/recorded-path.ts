/**
 * Returns where the types of a contract are recorded: `packages/plugin-api/api/v1.d.ts`.
 *
 * @param contract - Text of `flatContract`.
 */
export function recordedPath(contract: string): string {
  const version = /type PluginApiVersion = 'berth\.dev\/(\w+)'/.exec(contract)?.[1]
  if (version === undefined) throw new Error('the contract names no PluginApiVersion')
  return `packages/plugin-api/api/${version}.d.ts`
}
