'use strict';
// events.EventEmitterAsyncResource: an emitter whose listeners run in the context that it was made
// in.

const { over } = intrinsics;
const EventEmitter = require('events');
const { AsyncResource } = require('async_hooks');
const { coded, validateString } = require('internal/errors');

const kEmitter = Symbol('kEventEmitter');
const kResource = Symbol('kAsyncResource');

class EventEmitterReferencingAsyncResource extends AsyncResource {
  constructor(emitter, type, options) {
    super(type, options);
    this[kEmitter] = emitter;
  }

  get eventEmitter() {
    if (this[kEmitter] === undefined) throw invalidThis('EventEmitterReferencingAsyncResource');
    return this[kEmitter];
  }
}

const invalidThis = (type) => coded(TypeError, 'ERR_INVALID_THIS', `Value of "this" must be of type ${type}`);

function resourceOf(emitter) {
  const resource = emitter[kResource];
  if (resource === undefined) throw invalidThis('EventEmitterAsyncResource');
  return resource;
}

class EventEmitterAsyncResource extends EventEmitter {
  constructor(options = undefined) {
    let name;
    if (typeof options === 'string') {
      name = options;
      options = undefined;
    } else {
      if (new.target === EventEmitterAsyncResource) validateString(options?.name, 'options.name');
      name = options?.name || new.target.name;
    }
    super(options);
    this[kResource] = new EventEmitterReferencingAsyncResource(this, name, options);
  }

  emit(event, ...args) {
    const resource = resourceOf(this);
    return resource.runInAsyncScope(super.emit, this, event, ...over(args));
  }

  emitDestroy() {
    resourceOf(this).emitDestroy();
  }

  get asyncId() {
    return resourceOf(this).asyncId();
  }

  get triggerAsyncId() {
    return resourceOf(this).triggerAsyncId();
  }

  get asyncResource() {
    return resourceOf(this);
  }
}

module.exports = { EventEmitterAsyncResource };
