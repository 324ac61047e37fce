'use strict';
throw require('internal/errors').notImplemented("Module 'path/win32'");
