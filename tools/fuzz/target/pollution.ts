/** The objects that every other object inherits from, with the properties that they had at the start. */
const builtIns = [Object.prototype, Array.prototype, Function.prototype, String.prototype, Map.prototype].map(
  (object) => ({ object, properties: Object.getOwnPropertyDescriptors(object) as PropertyDescriptorMap }),
)

/** Returns the properties of built-in prototypes that were added or removed. */
export function pollutedNames(): readonly string[] {
  return builtIns.flatMap(({ object, properties }) => {
    const [now, before] = [Reflect.ownKeys(object), Reflect.ownKeys(properties)]
    if (now.length === before.length && now.every((name) => Object.hasOwn(properties, name))) return []
    return [
      ...now.filter((name) => !Object.hasOwn(properties, name)),
      ...before.filter((name) => !Object.hasOwn(object, name)),
    ].map(String)
  })
}

/** Makes the prototypes as they were. */
export function removePollution(): void {
  for (const { object, properties } of builtIns) {
    for (const name of Reflect.ownKeys(object))
      if (!Object.hasOwn(properties, name)) Reflect.deleteProperty(object, name)
    Object.defineProperties(object, properties)
  }
}
