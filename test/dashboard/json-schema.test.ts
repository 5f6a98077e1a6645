/** The form that is made of an input's JSON Schema: which fields, and what they begin with. */
import { describe, expect, it } from 'vitest'
import { hasForm, kindOf, plainSchema, startingValue } from '../../dashboard/src/run/json-schema.ts'

describe('the form of a schema', () => {
  it('knows what it can show, and leaves the rest to JSON', () => {
    const kinds = {
      text: { type: 'string' },
      instant: { type: 'string', format: 'date-time' },
      number: { type: 'integer' },
      flag: { type: 'boolean' },
      choice: { type: 'string', enum: ['eu', 'us'] },
      list: { type: 'array', items: { type: 'string' } },
      group: { type: 'object', properties: { a: { type: 'string' } } },
      json: { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } } },
    }
    for (const [kind, schema] of Object.entries(kinds)) expect(kindOf(schema)).toBe(kind)
    expect(kindOf({})).toBe('json')
    expect(kindOf({ enum: [{ a: 1 }] })).toBe('json')
  })

  it('reads what may be null as what it is otherwise', () => {
    expect(kindOf(plainSchema({ type: ['number', 'null'] }))).toBe('number')
    expect(kindOf(plainSchema({ anyOf: [{ type: 'string' }, { type: 'null' }] }))).toBe('text')
    expect(kindOf(plainSchema({ anyOf: [{ type: 'string' }, { type: 'number' }] }))).toBe('json')
  })

  it('begins with the defaults, below what is given', () => {
    const schema = {
      type: 'object',
      required: ['region', 'limit'],
      properties: {
        region: { type: 'string', default: 'eu' },
        limit: { type: 'integer', default: 500 },
        note: { type: 'string' },
      },
    }
    expect(startingValue(schema)).toEqual({ region: 'eu', limit: 500 })
    expect(startingValue(schema, { limit: 7, kept: true })).toEqual({ region: 'eu', limit: 7, kept: true })
  })

  it('leaves out an optional group that nobody has written into', () => {
    const options = { type: 'object', properties: { currency: { type: 'string', default: 'EUR' } } }
    expect(startingValue({ type: 'object', properties: { options } })).toEqual({})
    expect(startingValue({ type: 'object', properties: { options }, required: ['options'] })).toEqual({
      options: { currency: 'EUR' },
    })
  })

  it('is a form only for an object with fields', () => {
    expect(hasForm(null)).toBe(false)
    expect(hasForm({ type: 'string' })).toBe(false)
    expect(hasForm({ type: 'object', properties: { a: { type: 'string' } } })).toBe(true)
  })
})
