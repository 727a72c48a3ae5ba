/**
 * The sources that objects may use: they read the node's own labels, annotations and fields, and nothing else. A
 * user who may create objects could otherwise read files of the advertiser, run programs in its pod, or make it send requests.
 */
const OBJECT_SOURCES: readonly string[] = ['node-label', 'node-annotation', 'node-expression']

/** Returns why objects may not use a source, or undefined if they may. This is the only check. */
export function sourceRefusal(plugin: string): string | undefined {
  if (OBJECT_SOURCES.includes(plugin)) return undefined
  return `objects may use only the sources ${OBJECT_SOURCES.join(', ')}; an operator declares ${plugin} in the configuration file of the advertiser`
}
