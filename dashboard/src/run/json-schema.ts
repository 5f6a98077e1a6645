/** The part of JSON Schema that a form can show; the rest is entered as JSON. */
export interface InputSchema {
  readonly type?: string | readonly string[]
  readonly title?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly properties?: Readonly<Record<string, InputSchema>>
  readonly required?: readonly string[]
  readonly items?: InputSchema
  readonly anyOf?: readonly InputSchema[]
  readonly oneOf?: readonly InputSchema[]
}

export type FieldKind = 'text' | 'number' | 'flag' | 'choice' | 'instant' | 'list' | 'group' | 'json'

/** The schema without its `null` alternative. */
export function plainSchema(schema: InputSchema): InputSchema {
  const options = (schema.anyOf ?? schema.oneOf ?? []).filter(({ type }) => type !== 'null')
  const [only, ...others] = options
  const { anyOf: _any, oneOf: _one, ...around } = schema
  const one = only !== undefined && others.length === 0 ? { ...around, ...only } : schema
  if (!Array.isArray(one.type)) return one
  const types = (one.type as readonly string[]).filter((type) => type !== 'null')
  return types.length === 1 && types[0] !== undefined ? { ...one, type: types[0] } : one
}

export function kindOf(schema: InputSchema): FieldKind {
  const isScalar = (value: unknown) => typeof value !== 'object' || value === null
  if (schema.enum?.every(isScalar) === true) return 'choice'
  switch (schema.type) {
    case 'string':
      return schema.format === 'date-time' ? 'instant' : 'text'
    case 'number':
    case 'integer':
      return 'number'
    case 'boolean':
      return 'flag'
    case 'object':
      return Object.keys(schema.properties ?? {}).length > 0 ? 'group' : 'json'
    case 'array':
      return schema.items !== undefined && isSimple(plainSchema(schema.items)) ? 'list' : 'json'
    default:
      return 'json'
  }
}

function isSimple(schema: InputSchema): boolean {
  return ['text', 'number', 'choice', 'instant'].includes(kindOf(schema))
}

/** Whether a form is more helpful than a text area for JSON. */
export function hasForm(schema: InputSchema | null | undefined): schema is InputSchema {
  return schema != null && kindOf(plainSchema(schema)) === 'group'
}

/** What a form starts with: the given values, then the defaults. */
export function startingValue(schema: InputSchema, given?: unknown): unknown {
  const plain = plainSchema(schema)
  const value = given === undefined ? plain.default : given
  if (kindOf(plain) !== 'group') return value
  if (value !== undefined && (typeof value !== 'object' || value === null)) return value
  const held = (value ?? {}) as Readonly<Record<string, unknown>>
  const started = Object.entries(plain.properties ?? {}).map(([name, part]) => {
    // An optional group that nobody has filled in is left out, even if its parts have defaults.
    const isLeftOut = held[name] === undefined && part.default === undefined && !isRequired(plain, name)
    const mayBegin = !isLeftOut || kindOf(plainSchema(part)) !== 'group'
    return [name, mayBegin ? startingValue(part, held[name]) : undefined] as const
  })
  return { ...held, ...Object.fromEntries(started.filter(([, part]) => part !== undefined)) }
}

export function isRequired(schema: InputSchema, name: string): boolean {
  return schema.required?.includes(name) === true
}
