log('  runs'); count(); throw new Error('thrown');
